// A preloaded library for tests: logs every write and flush that a driver in user space makes on one device or image, in
// order. FOLDICFS_RECORD_DEVICE names the device, FOLDICFS_RECORD_LOG the log, to which records are appended:
// kind (1 write, 2 flush), offset and length as 64-bit numbers of this machine, then the bytes that were written.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER;
static int log_file = -1;
static struct stat device;

static void *next(const char *name) { return dlsym(RTLD_NEXT, name); }

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("FOLDICFS_RECORD_DEVICE");
  const char *log = getenv("FOLDICFS_RECORD_LOG");
  if (path == NULL || log == NULL || stat(path, &device) != 0) return;
  log_file = open(log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
}

static int is_ours(int file) {
  struct stat status;
  if (log_file < 0 || file == log_file || fstat(file, &status) != 0) return 0;
  if (S_ISBLK(device.st_mode)) return S_ISBLK(status.st_mode) && status.st_rdev == device.st_rdev;
  return status.st_dev == device.st_dev && status.st_ino == device.st_ino;
}

static void record(uint64_t kind, uint64_t offset, const void *bytes, uint64_t count) {
  uint64_t header[3] = {kind, offset, count};
  struct iovec parts[2] = {{header, sizeof header}, {(void *)bytes, count}};
  if (writev(log_file, parts, 2) != (ssize_t)(sizeof header + count)) abort();
}

static ssize_t write_at(const char *name, int file, const void *bytes, size_t count, off_t offset) {
  ssize_t (*call)(int, const void *, size_t, off_t) = next(name);
  if (!is_ours(file)) return call(file, bytes, count, offset);
  pthread_mutex_lock(&order);
  ssize_t result = call(file, bytes, count, offset);
  if (result > 0) record(1, (uint64_t)offset, bytes, (uint64_t)result);
  pthread_mutex_unlock(&order);
  return result;
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
  return write_at("pwrite", file, bytes, count, offset);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
  return write_at("pwrite64", file, bytes, count, offset);
}

ssize_t write(int file, const void *bytes, size_t count) {
  ssize_t (*call)(int, const void *, size_t) = next("write");
  if (!is_ours(file)) return call(file, bytes, count);
  pthread_mutex_lock(&order);
  off_t offset = lseek(file, 0, SEEK_CUR);
  ssize_t result = call(file, bytes, count);
  if (result > 0) record(1, (uint64_t)offset, bytes, (uint64_t)result);
  pthread_mutex_unlock(&order);
  return result;
}

static int flush(const char *name, int file) {
  int (*call)(int) = next(name);
  if (!is_ours(file)) return call(file);
  pthread_mutex_lock(&order);
  int result = call(file);
  if (result == 0) record(2, 0, NULL, 0);
  pthread_mutex_unlock(&order);
  return result;
}

int fsync(int file) { return flush("fsync", file); }
int fdatasync(int file) { return flush("fdatasync", file); }
