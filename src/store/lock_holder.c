/* lock_holder.c - the text of a lock file, and whether the process it names still lives. */
#include "store/lock_holder.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/parse.h"
#include "model/column.h"
#include "store/provenance.h"

/* Field 22 (start) and 3 (state) of /proc/PID/stat. The second is a program's name in parentheses
 * and may hold anything, so fields are counted from the last parenthesis. -1: no such process. */
static int64_t process_start(int64_t pid, char *state)
{
    char name[64];
    char text[RP_LOCK_TEXT_SIZE];
    int64_t start = -1;
    *state = '?';
    snprintf(name, sizeof name, "/proc/%" PRId64 "/stat", pid);
    int descriptor = open(name, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return -1;
    ssize_t n = read(descriptor, text, sizeof text - 1);
    close(descriptor);
    text[n > 0 ? n : 0] = '\0';
    char *field = strrchr(text, ')');
    if (!field || field[1] != ' ')
        return -1;
    *state = field[2];
    for (int i = 2; field && i < 22; ++i)
        field = strchr(field + 1, ' ');
    if (!field)
        return -1;
    ++field;
    field[strcspn(field, " \n")] = '\0';
    return rp_parse_i64(field, false, &start) ? start : -1;
}

void rp_lock_holder_self(struct rp_lock_holder *self, const char *run_id)
{
    char state;
    char host[RP_LOCK_VALUE_SIZE];
    *self = (struct rp_lock_holder){.pid = getpid(), .start = process_start(getpid(), &state)};
    rp_provenance_host(host, sizeof host);
    RP_WORD_SET(self->host, host);
    ssize_t n = readlink("/proc/self/ns/pid", self->pid_namespace, sizeof self->pid_namespace - 1);
    self->pid_namespace[n > 0 ? n : 0] = '\0';
    RP_WORD_SET(self->slurm_job, rp_provenance_slurm_job_id());
    self->slurm_restart = rp_provenance_slurm_restart_count();
    RP_WORD_SET(self->run, run_id);
}

void rp_lock_holder_text(const struct rp_lock_holder *holder, char text[RP_LOCK_TEXT_SIZE])
{
    snprintf(text, RP_LOCK_TEXT_SIZE,
             "host=%s\npid=%" PRId64 "\nstart=%" PRId64 "\npid_namespace=%s\nslurm_job=%s\n"
             "slurm_restart=%" PRId64 "\nrun=%s\nend=\n",
             holder->host, holder->pid, holder->start, holder->pid_namespace, holder->slurm_job,
             holder->slurm_restart, holder->run);
}

/* The value of `key`; false when there is no such line. */
static bool find_value(const char *text, const char *key, char value[RP_LOCK_VALUE_SIZE])
{
    const size_t length = strlen(key);
    for (const char *line = text; *line;) {
        size_t size = strcspn(line, "\n");
        if (line[size] == '\0')
            return false; /* a line that does not end is torn */
        if (size > length && strncmp(line, key, length) == 0 && line[length] == '=' &&
            size - length - 1 < RP_LOCK_VALUE_SIZE) {
            memcpy(value, line + length + 1, size - length - 1);
            value[size - length - 1] = '\0';
            return true;
        }
        line += size + 1;
    }
    return false;
}

bool rp_lock_holder_parse(const char *text, struct rp_lock_holder *holder)
{
    char pid[RP_LOCK_VALUE_SIZE];
    char start[RP_LOCK_VALUE_SIZE];
    char restart[RP_LOCK_VALUE_SIZE];
    char end[RP_LOCK_VALUE_SIZE];
    return find_value(text, "host", holder->host) && find_value(text, "pid", pid) &&
           find_value(text, "start", start) &&
           find_value(text, "pid_namespace", holder->pid_namespace) &&
           find_value(text, "slurm_job", holder->slurm_job) &&
           find_value(text, "slurm_restart", restart) && find_value(text, "run", holder->run) &&
           find_value(text, "end", end) && rp_parse_i64(pid, false, &holder->pid) &&
           rp_parse_i64(start, false, &holder->start) &&
           rp_parse_i64(restart, false, &holder->slurm_restart) && holder->pid > 0;
}

bool rp_lock_holder_is_gone(const struct rp_lock_holder *holder, const struct rp_lock_holder *self)
{
    if (self->slurm_job[0] && strcmp(holder->slurm_job, self->slurm_job) == 0 &&
        holder->slurm_restart < self->slurm_restart)
        return true;
    if (strcmp(holder->host, self->host) != 0 ||
        strcmp(holder->pid_namespace, self->pid_namespace) != 0)
        return false; /* its processes cannot be seen from here */
    if (kill((pid_t)holder->pid, 0) != 0 && errno == ESRCH)
        return true;
    char state;
    int64_t start = process_start(holder->pid, &state);
    if (state == 'Z' || state == 'X')
        return true; /* dead, but its parent does not care to hear */
    return start >= 0 && holder->start >= 0 && start != holder->start;
}
