using Pipeline.Documents;
using Pipeline.Json;

namespace Pipeline.Subscriptions;

/// <summary>
/// A change of a batch. Valid until the batch is acknowledged; then its memory holds other changes, and every property
/// throws
/// <see cref="InvalidOperationException"/>.
/// </summary>
public readonly struct SubscriptionItem
{
    private readonly DeliveryItem _item;
    private readonly int _generation;

    internal SubscriptionItem(DeliveryItem item) => (_item, _generation) = (item, item.Generation);

    internal DeliveryItem Item =>
        _item.Generation == _generation
            ? _item
            : throw new InvalidOperationException(
                "The change's batch was acknowledged; copy what you need before you acknowledge it."
            );

    /// <summary>The change's position.</summary>
    public long Position => Item.Position;

    /// <summary>The document's id.</summary>
    public string Id => Item.Change.Id;

    /// <summary>Its collection.</summary>
    public string Collection => Item.Change.Collection;

    /// <summary>The event.</summary>
    public ChangeKind Kind => Item.Change.Kind;

    /// <summary>When it happened, by the database's clock.</summary>
    public DateTimeOffset LastModified => Item.Change.LastModified;

    /// <summary>The document; empty unless it was put.</summary>
    public BinaryJson Body => Item.Change.Body;

    /// <summary>
    /// With <see cref="SubscriptionDefinition.Revisions"/>: the version before this change. Null if there was none, it
    /// was deleted, or it is unknown (<see cref="PreviousIsKnown"/>).
    /// </summary>
    public Document? Previous => Item.Previous.Document;

    /// <summary>
    /// Whether the version before is known. It is not if that version was never kept, or was removed before the
    /// subscription was created. Always false if the subscription does not deliver versions.
    /// </summary>
    public bool PreviousIsKnown => Item.Previous.IsKnown;

    /// <summary>
    /// Writes the item as JSON text: the projection's output if there is one; with versions
    /// <c>{"Current":…,"Previous":…,"@metadata":…}</c>; otherwise the document with its metadata, or for a deletion
    /// only the metadata.
    /// </summary>
    /// <param name="snapshot">Any snapshot of the database.</param>
    /// <param name="target">The target.</param>
    public void WriteJson(DatabaseSnapshot snapshot, System.Buffers.IBufferWriter<byte> target)
    {
        ArgumentNullException.ThrowIfNull(snapshot);
        if (!Projected.IsEmpty)
            System.Buffers.BuffersExtensions.Write(target, Projected.Span);
        else if (Item.IsPair)
            ItemText.WritePair(snapshot, Item.Change, Previous, PreviousIsKnown, target);
        else
            snapshot.WriteJson(Item.Change, target);
    }

    /// <summary>The output of the subscription's projection, UTF-8 JSON; empty without a projection.</summary>
    public ReadOnlyMemory<byte> Projected => Item.Payload;

    /// <summary>The change as it appears in the feed.</summary>
    public Change ToChange() => Item.Change;

    /// <summary>How many times it was delivered before without being acknowledged.</summary>
    public int Attempts => Item.Attempts;
}
