# finish.gp - the same once more as PNG, twice as large.
eval png(height)
replot
unset output
