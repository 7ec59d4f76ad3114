/* A disk that is slow, or hangs: what is written below the folder CHAOS_DATA waits for as many microseconds as the file
 * CHAOS_DISK_DELAY says (8 bytes, mapped, so that looking costs nothing); while it says -1, it waits. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

#define HANG_STEP 20000

static volatile const long long *delay;
static const char *data;
static size_t length;

__attribute__((constructor)) static void open_delay(void) {
    const char *name = getenv("CHAOS_DISK_DELAY");
    int file = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
    data = getenv("CHAOS_DATA");
    length = data ? strlen(data) : 0;
    if (file < 0)
        return;
    void *page = mmap(NULL, sizeof(long long), PROT_READ, MAP_SHARED, file, 0);
    close(file);
    if (page != MAP_FAILED && length)
        delay = page;
}

static void wait_for_disk(int file) {
    char name[40], path[1024];
    int saved = errno;
    if (!delay || !*delay)
        return;
    snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    ssize_t read = readlink(name, path, sizeof path);
    if (read >= (ssize_t)length && !memcmp(path, data, length)) {
        if (*delay > 0)
            usleep(*delay);
        while (*delay < 0)
            usleep(HANG_STEP);
    }
    errno = saved;
}

#define REAL(name) __typeof__(&name) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

ssize_t write(int file, const void *bytes, size_t count) {
    REAL(write);
    wait_for_disk(file);
    return real(file, bytes, count);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t at) {
    REAL(pwrite);
    wait_for_disk(file);
    return real(file, bytes, count, at);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t at) {
    REAL(pwrite64);
    wait_for_disk(file);
    return real(file, bytes, count, at);
}

int fsync(int file) {
    REAL(fsync);
    wait_for_disk(file);
    return real(file);
}

int fdatasync(int file) {
    REAL(fdatasync);
    wait_for_disk(file);
    return real(file);
}
