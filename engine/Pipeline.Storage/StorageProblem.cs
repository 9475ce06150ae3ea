using System.Globalization;

namespace Pipeline.Storage;

/// <summary>Something wrong with a store that concerns no tree: its meta pages, its journal, its allocation.</summary>
/// <param name="File">The file.</param>
/// <param name="Page">The page, where it is one of the data file.</param>
/// <param name="Reason">What is wrong, and what of it follows.</param>
public sealed record StorageProblem(string File, long? Page, string Reason)
{
    /// <summary>Whether transactions are lost by it; else what it destroyed is found elsewhere.</summary>
    public bool IsLoss { get; init; }

    /// <inheritdoc/>
    public override string ToString() => string.Create(CultureInfo.InvariantCulture, $"{File}{(Page is { } page ? $", page {page}" : "")}: {Reason}");
}
