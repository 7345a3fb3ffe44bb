/// What `--help` prints.
enum Usage {
  static let text = """
    Usage: foldicfs LIBRARY MOUNTPOINT [-f] [-o OPTION[,OPTION...]]
           foldicfs init DIR
           foldicfs unmount MOUNTPOINT
           foldicfs albums LIBRARY [--json]
           foldicfs trash list|restore|empty DIR [NAME...] [--json]
           foldicfs clean DIR [--apply]
           foldicfs verify DIR [--json] [--export FILE] [--restart] [--accept]

    Mounts a photo library so that its albums are folders. The library is never written.
    With -o backup=DIR the mount has a folder Backup/: what is written there is on the drive,
    whole, when close returns.

    Commands
      LIBRARY MOUNTPOINT   mount; returns when the mount can be used
      init DIR             mark a folder on a drive as a backup, once
      unmount MOUNTPOINT   end a mount
      albums LIBRARY       list folders and albums with the recorded number of photos
      trash list DIR       list what was deleted on the drive, with the names it has in the trash
      trash restore DIR NAME...
                           put it back where it was; never over anything
      trash empty DIR [NAME...]
                           delete it for good: what is named, or everything
      clean DIR            list what nobody needs on the drive: sidecars (._NAME) without a file
      verify DIR           read every file of a backup back and compare it with what was recorded; goes on
                           where an interrupted run has stopped

    Switches
      -f                   stay in the foreground
      -d                   show every request of the kernel (stays in the foreground)
      -s                   serve with one thread
      -o OPTIONS           options, separated by commas (below)
      --json               (albums, trash list, verify) one JSON object
      --apply              (clean) move what is listed to the drive's trash
      --export FILE        (verify) write the hashes of all files for xxhsum -c
      --restart            (verify) begin at the first file
      --accept             (verify) take what is damaged or missing for right from now on
      -h, --help           this text
      -V, --version        the version

    Options of foldicfs
      backup=DIR           the writable folder Backup/ is this folder of a drive
      delete=trash|remove  what is deleted in Backup/ goes to the drive's trash (default), or is gone
      hidden               show photos that are hidden in the library
      sidecars=show        show the files ._NAME in which a drive without attributes keeps them
      references=DIR       open originals that the library only refers to, below DIR (may be repeated)
      uid=N, gid=N         owner of everything shown (default: who mounts)
      umask=OCTAL          permissions taken away (default: of the process)
      commit=close|fsync   when a file in Backup/ is durable: before close returns (default), or
                           before fsync returns and soon after close (faster; errors after close
                           are only in the log)
      nonempty             mount over a folder that is not empty

    Options of FUSE
      ro                   Backup/ is read-only too
      allow_other          other users may use the mount
      allow_root           root may use it
      auto_unmount         unmount when the process dies (a mirroring program may then take the
                           empty folder for the truth)
      fsname=, subtype=    what /proc/mounts shows
      max_read=N           bytes of one read at most
      nodev, nosuid, noexec, noatime, dirsync, sync
                           as in mount(8); those of fstab that mean nothing here are accepted

    Exit codes: 0 done, 1 failed, 2 usage, 3 done in part or some files are not as they should be,
    130 cancelled.

    """
}
