/* Records what is safe from a power cut: preloaded into a process, it keeps a copy of every file and a list of the names
   in every folder below POWER_ROOT, each as it was at its last fsync. `tests/power/disk.py` makes disks of that. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* An inode number is given again; with the time of its birth it is of one file only. */
int power_identify(int fd, const char *name, char *out, size_t size) {
    struct statx found;
    int flags = name[0] ? AT_SYMLINK_NOFOLLOW : AT_EMPTY_PATH;
    if (statx(fd, name, flags, STATX_INO | STATX_BTIME | STATX_MODE, &found) != 0) return -1;
    snprintf(out, size, "%llu-%lld.%09u", (unsigned long long)found.stx_ino, (long long)found.stx_btime.tv_sec,
             found.stx_btime.tv_nsec);
    return found.stx_mode;
}

static void copy_content(int from, FILE *to) {
    char chunk[65536];
    off_t at = 0;
    ssize_t got;
    while ((got = pread(from, chunk, sizeof chunk, at)) > 0) {
        fwrite(chunk, 1, (size_t)got, to);
        at += got;
    }
}

static void list_names(const char *path, int fd, FILE *to) {
    char id[96];
    DIR *folder = opendir(path);
    struct dirent *one;
    if (folder == NULL) return;
    while ((one = readdir(folder)) != NULL) {
        if (strcmp(one->d_name, ".") == 0 || strcmp(one->d_name, "..") == 0) continue;
        if (power_identify(fd, one->d_name, id, sizeof id) >= 0) fprintf(to, "%s %s\n", id, one->d_name);
    }
    closedir(folder);
}

/* What the file or folder holds is safe from now on, if it lies below the root. */
void power_record(int fd, const char *root, const char *shadow) {
    char link[64], path[4096], id[96], draft[4400], final[4300];
    static __thread unsigned long count;
    if (root == NULL || shadow == NULL) return;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= 0) return;
    path[length] = 0;
    if (strncmp(path, root, strlen(root)) != 0) return;
    int mode = power_identify(fd, "", id, sizeof id);
    if (mode < 0) return;
    snprintf(final, sizeof final, "%s/%s", shadow, id);
    snprintf(draft, sizeof draft, "%s/.%s.%d.%p.%lu", shadow, id, getpid(), (void *)&count, count);
    count++;
    /* A file that was opened for writing only is read through its other name. */
    int readable = open(link, O_RDONLY | O_CLOEXEC);
    if (readable < 0) return;
    FILE *to = fopen(draft, "w");
    if (to != NULL) {
        if (S_ISDIR(mode)) list_names(path, fd, to);
        else copy_content(readable, to);
        fclose(to);
        rename(draft, final);
    }
    close(readable);
}

#define WRAP(NAME)                                                          \
    int NAME(int fd) {                                                      \
        static int (*real)(int);                                            \
        if (real == NULL) real = (int (*)(int))dlsym(RTLD_NEXT, #NAME);     \
        int done = real(fd);                                                \
        int error = errno;                                                  \
        if (done == 0) power_record(fd, getenv("POWER_ROOT"), getenv("POWER_SHADOW"));                           \
        errno = error;                                                      \
        return done;                                                        \
    }

WRAP(fsync)
WRAP(fdatasync)
