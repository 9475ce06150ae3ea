namespace Pipeline.Worker.Diagnosis;

/// <summary>The facts about the machine that the doctor needs. An unknown fact is null.</summary>
internal interface IMachine
{
    /// <summary>Returns the mode of a file or folder; null if it does not exist or the system has no modes.</summary>
    UnixFileMode? ModeOf(string path);

    /// <summary>Returns the files and folders directly in a folder; empty if it does not exist.</summary>
    IReadOnlyList<string> List(string folder);

    /// <summary>Returns the time of a file's last write; null if it does not exist.</summary>
    DateTimeOffset? WrittenAt(string path);

    /// <summary>Returns the mount point of a path's file system; null if unknown.</summary>
    string? MountOf(string path);

    /// <summary>
    /// The first number of a limit of this process, such as <c>Max open files</c>; <see cref="long.MaxValue"/> for
    /// unlimited.
    /// </summary>
    long? Limit(string name);

    /// <summary>A number of the kernel, such as <c>vm/max_map_count</c>.</summary>
    long? Kernel(string name);

    /// <summary>Whether memory can be swapped to a disk; null if unknown.</summary>
    bool? HasSwap { get; }

    /// <summary>An environment variable.</summary>
    string? Variable(string name);
}
