namespace Pipeline.Etl.Connectors.Files;

/// <summary>Gives the sink the files that it appends to, so that a test can substitute a simulated disk.</summary>
internal interface IAppendFiles
{
    /// <summary>Creates a folder and its missing parents; durable when it returns.</summary>
    void CreateFolder(string path);

    /// <summary>
    /// Opens a file and creates it if it is missing. No other process can write to it until it is disposed.
    /// </summary>
    IAppendFile Open(string path);

    /// <summary>Makes a folder's directory entries durable.</summary>
    void SyncFolder(string path);
}
