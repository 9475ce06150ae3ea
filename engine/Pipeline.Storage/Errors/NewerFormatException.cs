namespace Pipeline.Storage;

/// <summary>
/// The store was written by a newer version in a format that this one does not know. Nothing was changed.
/// </summary>
public sealed class NewerFormatException : StorageException
{
    /// <summary>Names both versions.</summary>
    public NewerFormatException(string file, int found, int supported)
        : base(
            $"{file} has format version {found}; this program reads up to version {supported}. Open it with a newer program."
        )
    {
        File = file;
        Found = found;
        Supported = supported;
    }

    /// <summary>The file that says so.</summary>
    public string File { get; }

    /// <summary>The format version found.</summary>
    public int Found { get; }

    /// <summary>The newest format version this program knows.</summary>
    public int Supported { get; }
}
