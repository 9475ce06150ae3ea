namespace Pipeline.Subscriptions;

/// <summary>A change to be parked, of what kind and why.</summary>
internal sealed record ParkedChange(DeliveryItem Item, string Kind, string Reason);
