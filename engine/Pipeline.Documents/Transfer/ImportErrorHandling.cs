namespace Pipeline.Documents.Transfer;

/// <summary>How an import handles lines that are not documents.</summary>
public enum ImportErrorHandling
{
    /// <summary>Reads everything through first, and imports nothing if anything is wrong.</summary>
    Abort = 0,

    /// <summary>Leaves such lines out, reports them, and imports the rest.</summary>
    Skip,
}
