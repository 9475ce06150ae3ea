namespace Pipeline.Subscriptions;

/// <summary>A change to park, with its kind and reason.</summary>
internal sealed record ParkedChange(DeliveryItem Item, string Kind, string Reason);
