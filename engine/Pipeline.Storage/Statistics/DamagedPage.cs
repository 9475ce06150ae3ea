using System.Globalization;

namespace Pipeline.Storage;

/// <summary>A page in use whose content in the data file differs from the written content.</summary>
/// <param name="File">The data file.</param>
/// <param name="Page">The page's number, that of the first page for a run.</param>
/// <param name="Tree">
/// The tree that it belongs to; <c>(catalog)</c>, <c>(allocation)</c> or <c>(meta)</c> if it belongs to no user tree.
/// </param>
/// <param name="Reason">The damage.</param>
/// <param name="Affected">The keys of the tree that cannot be read without it; null if it belongs to no tree.</param>
public sealed record DamagedPage(string File, long Page, string Tree, string Reason, KeyRange? Affected)
{
    /// <inheritdoc/>
    public override string ToString() =>
        string.Create(
            CultureInfo.InvariantCulture,
            $"{File}: page {Page} of tree '{Tree}' is damaged: {Reason}{(Affected is null ? "" : $"; {Affected} cannot be read")}"
        );
}
