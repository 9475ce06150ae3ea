// Makes a process of .NET believe that the system has larger pages, and refuses what a kernel with such pages refuses.
// `large-pages` compiles it twice:
// - with PRELOAD for LD_PRELOAD: what managed code reads as Environment.SystemPageSize. The runtime itself keeps the real size.
// - without, as the "libc" that managed code calls: addresses and offsets must be multiples of the page size, and lengths are
//   rounded up to it, so that a call reaches as far as it would there.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static size_t page(void) { return (size_t)atol(getenv("LARGE_PAGE_BYTES")); }

#ifdef PRELOAD
extern long __sysconf(int name);

long sysconf(int name)
{
    Dl_info caller;
    // Precompiled and jitted code is in no library that the loader knows.
    int managed = !dladdr(__builtin_return_address(0), &caller) || strstr(caller.dli_fname, "libSystem.Native") != NULL;
    return name == _SC_PAGESIZE && managed ? (long)page() : __sysconf(name);
}
#else
static int misaligned(uintptr_t value)
{
    if ((value & (page() - 1)) == 0)
        return 0;
    errno = EINVAL;
    return 1;
}

static size_t up(size_t length) { return (length + page() - 1) & ~(page() - 1); }

void *mmap(void *address, size_t length, int protection, int flags, int file, off_t offset)
{
    if (misaligned((uintptr_t)offset) || ((flags & MAP_FIXED) != 0 && misaligned((uintptr_t)address)))
        return MAP_FAILED;
    if ((flags & MAP_FIXED) != 0)
        return (void *)syscall(SYS_mmap, address, length, protection, flags, file, offset);
    // Reserves more than is asked for, and gives back what lies around the aligned part.
    size_t reserved = up(length) + page();
    char *start = (char *)syscall(SYS_mmap, NULL, reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED)
        return MAP_FAILED;
    char *aligned = (char *)up((uintptr_t)start);
    if (aligned > start)
        syscall(SYS_munmap, start, aligned - start);
    if (aligned + up(length) < start + reserved)
        syscall(SYS_munmap, aligned + up(length), start + reserved - aligned - up(length));
    return (void *)syscall(SYS_mmap, aligned, length, protection, flags | MAP_FIXED, file, offset);
}

int munmap(void *address, size_t length)
{
    return misaligned((uintptr_t)address) ? -1 : (int)syscall(SYS_munmap, address, up(length));
}

int mprotect(void *address, size_t length, int protection)
{
    return misaligned((uintptr_t)address) ? -1 : (int)syscall(SYS_mprotect, address, up(length), protection);
}

int madvise(void *address, size_t length, int advice)
{
    return misaligned((uintptr_t)address) ? -1 : (int)syscall(SYS_madvise, address, up(length), advice);
}
#endif
