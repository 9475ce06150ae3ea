namespace Pipeline.Worker.Diagnosis;

/// <summary>What the doctor asks of the machine. An answer that the system does not give is null.</summary>
internal interface IMachine
{
    /// <summary>The mode of a file or folder; null where it is missing or the system has no modes.</summary>
    UnixFileMode? ModeOf(string path);

    /// <summary>The files and folders directly in a folder; none where it is missing.</summary>
    IReadOnlyList<string> List(string folder);

    /// <summary>When a file was last written; null where it is missing.</summary>
    DateTimeOffset? WrittenAt(string path);

    /// <summary>Where the file system of a path is mounted; null where that cannot be known.</summary>
    string? MountOf(string path);

    /// <summary>The first number of a limit of this process, such as <c>Max open files</c>; <see cref="long.MaxValue"/> for unlimited.</summary>
    long? Limit(string name);

    /// <summary>A number of the kernel, such as <c>vm/max_map_count</c>.</summary>
    long? Kernel(string name);

    /// <summary>Whether memory can be swapped to a disk; null where that cannot be known.</summary>
    bool? HasSwap { get; }

    /// <summary>An environment variable.</summary>
    string? Variable(string name);
}
