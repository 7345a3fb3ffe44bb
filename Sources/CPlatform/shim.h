// Calls that the platform's Swift module does not show: on Linux it is built without _GNU_SOURCE, which a shim cannot
// switch on afterwards, so the prototypes of the C library (or the bare system calls) are declared here.
#pragma once
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#if defined(__linux__)
#include <linux/openat2.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <sys/xattr.h>

int renameat2(int olddirfd, const char *oldpath, int newdirfd, const char *newpath, unsigned int flags);
int sync_file_range(int fd, off_t offset, off_t nbytes, unsigned int flags);
int fallocate(int fd, int mode, off_t offset, off_t length);
ssize_t copy_file_range(int in, off_t *in_offset, int out, off_t *out_offset, size_t length, unsigned int flags);
int syncfs(int fd);
ssize_t getrandom(void *buffer, size_t length, unsigned int flags);
ssize_t splice(int from, off_t *from_offset, int to, off_t *to_offset, size_t length, unsigned int flags);
int pipe2(int pipefd[2], int flags);

#define FOLDIC_RENAME_NOREPLACE 1u
#define FOLDIC_RENAME_EXCHANGE 2u
#define FOLDIC_RENAME_WHITEOUT 4u
#define FOLDIC_O_PATH 010000000
#define FOLDIC_O_TMPFILE 020200000
#define FOLDIC_SYNC_FILE_RANGE_WRITE 2u
#define FOLDIC_FALLOC_FL_KEEP_SIZE 1
#define FOLDIC_FALLOC_FL_PUNCH_HOLE 2
#define FOLDIC_FICLONE 0x40049409
#define FOLDIC_SEEK_DATA 3
#define FOLDIC_SEEK_HOLE 4

// Opens `path` below `dirfd`; never through a symbolic link, never out of it. -1 with ENOSYS on kernels before 5.6.
static inline int foldic_open_beneath(int dirfd, const char *path, int flags, mode_t mode) {
  struct open_how how = {
      .flags = (uint64_t)flags,
      .mode = (flags & O_CREAT) ? mode : 0,
      .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
  };
  return (int)syscall(SYS_openat2, dirfd, path, &how, sizeof how);
}

static inline int foldic_clone(int to, int from) { return ioctl(to, FOLDIC_FICLONE, from); }

static inline long foldic_thread_id(void) { return syscall(SYS_gettid); }
#endif

// fork() is hidden from Swift, which cannot vouch for threads. Only called before the process has a second one.
static inline pid_t foldic_fork(void) { return fork(); }

// getopt keeps its state in globals that Swift 6 refuses to read.
static inline int foldic_getopt_index(void) { return optind; }
static inline void foldic_getopt_reset(void) { optind = 1; opterr = 0; }
static inline const char *foldic_getopt_argument(void) { return optarg; }
static inline int foldic_getopt_option(void) { return optopt; }
