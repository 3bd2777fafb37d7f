/* comma_locale.h - a locale whose decimal sign is a comma, made on the spot where none is there. */
#ifndef RP_TESTS_COMMA_LOCALE_H
#define RP_TESTS_COMMA_LOCALE_H

#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* True when the process now runs under a decimal comma; end with setlocale(LC_ALL, "C"). */
static inline bool comma_locale_begin(void)
{
    if (!setlocale(LC_ALL, "de_DE.UTF-8")) {
        char folder[] = "/tmp/ridgepoint-locale.XXXXXX";
        char command[256];
        if (!mkdtemp(folder))
            return false;
        snprintf(command, sizeof command,
                 "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1", folder);
        bool made = system(command) == 0 && setenv("LOCPATH", folder, 1) == 0 &&
                    setlocale(LC_ALL, "de_DE.UTF-8");
        snprintf(command, sizeof command, "rm -rf %s", folder);
        if (system(command) != 0 || !made)
            return false;
    }
    return strcmp(localeconv()->decimal_point, ",") == 0;
}

#endif
