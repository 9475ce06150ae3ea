using System.Globalization;

namespace Pipeline.Storage;

/// <summary>A page in use that does not lie in the data file as it was written.</summary>
/// <param name="File">The data file.</param>
/// <param name="Page">The page's number, that of the first page for a run.</param>
/// <param name="Tree">The tree that it belongs to; <c>(catalog)</c>, <c>(allocation)</c> or <c>(meta)</c> where it is none of the user's.</param>
/// <param name="Reason">What is wrong with it.</param>
/// <param name="Affected">The keys of the tree that cannot be read without it; null where it is of no tree.</param>
public sealed record DamagedPage(string File, long Page, string Tree, string Reason, KeyRange? Affected)
{
    /// <inheritdoc/>
    public override string ToString() => string.Create(CultureInfo.InvariantCulture,
        $"{File}: page {Page} of tree '{Tree}' is damaged: {Reason}{(Affected is null ? "" : $"; {Affected} cannot be read")}");
}
