# cmake --install puts programs, jobs, data, Slurm scripts and man pages in place; programs find data/ beside themselves.
install(TARGETS ridgepoint ridgepoint-analyze RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY data/ DESTINATION ${CMAKE_INSTALL_DATADIR}/ridgepoint/data)
install(DIRECTORY analysis/figures/ DESTINATION ${CMAKE_INSTALL_DATADIR}/ridgepoint/figures)
install(DIRECTORY jobs/ DESTINATION ${CMAKE_INSTALL_DATADIR}/ridgepoint/jobs)
install(DIRECTORY slurm/ DESTINATION ${CMAKE_INSTALL_DATADIR}/ridgepoint/slurm USE_SOURCE_PERMISSIONS)
install(DIRECTORY docs/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 FILES_MATCHING PATTERN "*.1")
