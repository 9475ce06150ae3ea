namespace Pipeline.Storage;

/// <summary>The outcome of a flush.</summary>
internal enum FlushOutcome
{
    /// <summary>There is nothing that it could bring to the data file.</summary>
    Nothing,

    /// <summary>The checkpoint moved on.</summary>
    Done,

    /// <summary>It would have to go past readers, and what these need does not fit the memory it may take.</summary>
    NoMemory,
}
