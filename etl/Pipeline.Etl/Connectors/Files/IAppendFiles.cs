namespace Pipeline.Etl.Connectors.Files;

/// <summary>The files that the sink appends to, so that a test can put a simulated disk under it.</summary>
internal interface IAppendFiles
{
    /// <summary>Makes a folder, and those above it, where they are missing; durable when it returns.</summary>
    void CreateFolder(string path);

    /// <summary>Opens a file, making it where it is missing. No other process can write it until it is disposed of.</summary>
    IAppendFile Open(string path);

    /// <summary>Makes the names of a folder's files durable.</summary>
    void SyncFolder(string path);
}
