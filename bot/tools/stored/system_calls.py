"""List the system calls that the sandbox denies, by number for each architecture.

Sources: syscalls(2), and the kernel's headers `asm/unistd_64.h` and `asm-generic/unistd.h`.
"""

from collections.abc import Mapping
from typing import Final

ARCHITECTURES: Final[Mapping[str, int]] = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
CLONE: Final[Mapping[str, int]] = {"x86_64": 56, "aarch64": 220}
CLONE3: Final = 435
OPENAT2: Final = 437
SENDTO: Final[Mapping[str, int]] = {"x86_64": 44, "aarch64": 206}
FCNTL: Final[Mapping[str, int]] = {"x86_64": 72, "aarch64": 25}
IOCTL: Final[Mapping[str, int]] = {"x86_64": 16, "aarch64": 29}
OPEN: Final[Mapping[str, tuple[tuple[int, int], ...]]] = {"x86_64": ((2, 1), (257, 2)), "aarch64": ((56, 2),)}
"""The calls that open files, each with the index of its flags among the arguments."""
REFUSED_FCNTL_COMMANDS: Final = (8, 10, 15, 1026)
"""F_SETOWN, F_SETSIG, F_SETOWN_EX and F_NOTIFY, by which the kernel sends signals to other processes."""
REFUSED_IOCTL_REQUESTS: Final = (0x8901, 0x8902, 0x5412, 0x541C)
"""FIOSETOWN, SIOCSPGRP, TIOCSTI and TIOCLINUX, which send signals to other processes and input to terminals."""

REFUSED: Final[Mapping[str, Mapping[str, int]]] = {
    "x86_64": {
        "socket": 41, "connect": 42, "fork": 57, "vfork": 58, "execve": 59, "execveat": 322, "kill": 62, "tkill": 200,
        "tgkill": 234, "rt_sigqueueinfo": 129, "rt_tgsigqueueinfo": 297, "pidfd_open": 434, "pidfd_send_signal": 424,
        "ptrace": 101, "process_vm_readv": 310, "process_vm_writev": 311, "process_madvise": 440, "kcmp": 312,
        "migrate_pages": 256, "move_pages": 279, "setpriority": 141, "ioprio_set": 251, "sched_setparam": 142,
        "sched_setscheduler": 144, "sched_setaffinity": 203, "sched_setattr": 314, "setrlimit": 160, "prlimit64": 302,
        "setsid": 112, "setpgid": 109, "unshare": 272, "setns": 308, "mount": 165, "bpf": 321, "perf_event_open": 298,
        "io_uring_setup": 425, "userfaultfd": 323, "keyctl": 250, "add_key": 248, "request_key": 249, "shmget": 29,
        "msgget": 68, "semget": 64, "mq_open": 240, "memfd_create": 319, "shmat": 30, "shmctl": 31, "semop": 65,
        "semctl": 66, "semtimedop": 220, "msgsnd": 69, "msgrcv": 70, "msgctl": 71, "mq_unlink": 241, "truncate": 76,
        "sendmsg": 46, "sendmmsg": 307, "bind": 49, "listen": 50, "pidfd_getfd": 438, "process_mrelease": 448,
        "open_by_handle_at": 304, "inotify_init": 253, "inotify_init1": 294, "fanotify_init": 300, "sync": 162,
        "io_setup": 206, "chroot": 161, "pivot_root": 155, "swapon": 167, "reboot": 169, "init_module": 175,
        "finit_module": 313, "kexec_load": 246, "mknod": 133, "mknodat": 259,
    },
    "aarch64": {
        "socket": 198, "connect": 203, "execve": 221, "execveat": 281, "kill": 129, "tkill": 130, "tgkill": 131,
        "rt_sigqueueinfo": 138, "rt_tgsigqueueinfo": 240, "pidfd_open": 434, "pidfd_send_signal": 424, "ptrace": 117,
        "process_vm_readv": 270, "process_vm_writev": 271, "process_madvise": 440, "kcmp": 272, "migrate_pages": 238,
        "move_pages": 239, "setpriority": 140, "ioprio_set": 30, "sched_setparam": 118, "sched_setscheduler": 119,
        "sched_setaffinity": 122, "sched_setattr": 274, "setrlimit": 164, "prlimit64": 261, "setsid": 157,
        "setpgid": 154, "unshare": 97, "setns": 268, "mount": 40, "bpf": 280, "perf_event_open": 241,
        "io_uring_setup": 425, "userfaultfd": 282, "keyctl": 219, "add_key": 217, "request_key": 218, "shmget": 194,
        "msgget": 186, "semget": 190, "mq_open": 180, "memfd_create": 279, "shmat": 196, "shmctl": 195, "semop": 193,
        "semctl": 191, "semtimedop": 192, "msgsnd": 189, "msgrcv": 188, "msgctl": 187, "mq_unlink": 181, "truncate": 45,
        "sendmsg": 211, "sendmmsg": 269, "bind": 200, "listen": 201, "pidfd_getfd": 438, "process_mrelease": 448,
        "open_by_handle_at": 265, "inotify_init1": 26, "fanotify_init": 262, "sync": 81, "io_setup": 0, "chroot": 51,
        "pivot_root": 41, "swapon": 224, "reboot": 142, "init_module": 105, "finit_module": 273, "kexec_load": 104,
        "mknodat": 33,
    },
}  # fmt: skip
"""Calls for other processes, sockets, shared memory and queues, and calls of administrators."""

IGNORED: Final[Mapping[str, Mapping[str, int]]] = {
    "x86_64": {
        "chmod": 90, "fchmod": 91, "fchmodat": 268, "fchmodat2": 452, "chown": 92, "fchown": 93, "lchown": 94,
        "fchownat": 260, "utime": 132, "utimes": 235, "futimesat": 261, "utimensat": 280, "setxattr": 188,
        "lsetxattr": 189, "fsetxattr": 190, "setxattrat": 463, "removexattr": 197, "lremovexattr": 198,
        "fremovexattr": 199, "removexattrat": 466, "file_setattr": 469,
    },
    "aarch64": {
        "fchmod": 52, "fchmodat": 53, "fchmodat2": 452, "fchown": 55, "fchownat": 54, "utimensat": 88, "setxattr": 5,
        "lsetxattr": 6, "fsetxattr": 7, "setxattrat": 463, "removexattr": 14, "lremovexattr": 15, "fremovexattr": 16,
        "removexattrat": 466, "file_setattr": 469,
    },
}  # fmt: skip
"""Calls for permissions, owners and times of files: Landlock does not check them, and copying a file uses them."""
