namespace AzureFunction;

/// <summary>What became of one message.</summary>
/// <param name="EventId">The event's id.</param>
/// <param name="Order">The order's id.</param>
/// <param name="IsNew">Whether it was handled now; a repeat is not.</param>
public sealed record HandledOrder(string EventId, string Order, bool IsNew);
