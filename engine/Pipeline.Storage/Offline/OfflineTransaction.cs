namespace Pipeline.Storage;

/// <summary>The trees of a store that is not opened.</summary>
internal sealed class OfflineTransaction(OfflinePages pages) : Transaction(pages)
{
    private protected override void End() { }
}
