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

    /// <summary>What the subscription's projection made of it, UTF-8 JSON; empty where it has none.</summary>
    public ReadOnlyMemory<byte> Projected => Item.Payload;

    /// <summary>The change as the feed has it.</summary>
    public Change ToChange() => Item.Change;

    /// <summary>How often it was given before and not acknowledged.</summary>
    public int Attempts => Item.Attempts;
}
