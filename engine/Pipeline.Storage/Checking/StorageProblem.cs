using System.Globalization;

namespace Pipeline.Storage;

/// <summary>Something wrong with a store that concerns no tree: its meta pages, its journal, its allocation.</summary>
/// <param name="File">The file.</param>
/// <param name="Page">The page, if it is in the data file.</param>
/// <param name="Reason">The problem and its consequences.</param>
public sealed record StorageProblem(string File, long? Page, string Reason)
{
    /// <summary>Whether it lost transactions; otherwise the destroyed data exists elsewhere.</summary>
    public bool IsLoss { get; init; }

    /// <inheritdoc/>
    public override string ToString() =>
        string.Create(CultureInfo.InvariantCulture, $"{File}{(Page is { } page ? $", page {page}" : "")}: {Reason}");
}
