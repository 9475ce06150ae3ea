using Pipeline.Database;
using Pipeline.Database.Json;

namespace Pipeline.Subscriptions;

/// <summary>One change of a batch. Good until the batch is acknowledged; its memory then holds other changes, and every property throws <see cref="InvalidOperationException"/>.</summary>
public readonly struct SubscriptionItem
{
    private readonly DeliveryItem _item;
    private readonly int _generation;

    internal SubscriptionItem(DeliveryItem item) => (_item, _generation) = (item, item.Generation);

    internal DeliveryItem Item => _item.Generation == _generation ? _item : throw new InvalidOperationException("The change's batch was acknowledged; copy what is needed later before that.");

    /// <summary>The change's place among all.</summary>
    public long Position => Item.Position;

    /// <summary>The document's id.</summary>
    public string Id => Item.Change.Id;

    /// <summary>Its collection.</summary>
    public string Collection => Item.Change.Collection;

    /// <summary>What happened to it.</summary>
    public ChangeKind Kind => Item.Change.Kind;

    /// <summary>When, by the database's clock.</summary>
    public DateTimeOffset LastModified => Item.Change.LastModified;

    /// <summary>The document; empty unless it was put.</summary>
    public BinaryJson Body => Item.Change.Body;

    /// <summary>
    /// With <see cref="SubscriptionDefinition.Revisions"/>: the version before this change; null where there was none, it was deleted, or it is not known (<see cref="PreviousIsKnown"/>).
    /// </summary>
    public Document? Previous => Item.Previous.Document;

    /// <summary>Whether it is known what was before. It is not where the version was not kept, or was removed before the subscription was made. Always false where versions are not given.</summary>
    public bool PreviousIsKnown => Item.Previous.IsKnown;

    /// <summary>
    /// Writes what is given as JSON text: what the projection made; with versions <c>{"Current":…,"Previous":…,"@metadata":…}</c>; else the document with its metadata, of a deletion the metadata alone.
    /// </summary>
    /// <param name="snapshot">Any snapshot of the database.</param>
    /// <param name="target">Where to.</param>
    public void WriteJson(DatabaseSnapshot snapshot, System.Buffers.IBufferWriter<byte> target)
    {
        ArgumentNullException.ThrowIfNull(snapshot);
        if (!Projected.IsEmpty) System.Buffers.BuffersExtensions.Write(target, Projected.Span);
        else if (Item.IsPair) ItemText.WritePair(snapshot, Item.Change, Previous, PreviousIsKnown, target);
        else snapshot.WriteJson(Item.Change, target);
    }

    /// <summary>What the subscription's projection made of it, UTF-8 JSON; empty where it has none.</summary>
    public ReadOnlyMemory<byte> Projected => Item.Payload;

    /// <summary>The change as the feed has it.</summary>
    public Change ToChange() => Item.Change;

    /// <summary>How often it was given before and not acknowledged.</summary>
    public int Attempts => Item.Attempts;
}
