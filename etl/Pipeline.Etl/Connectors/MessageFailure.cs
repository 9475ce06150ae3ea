namespace Pipeline.Etl.Connectors;

/// <summary>One message that its target will never take, however often it is sent.</summary>
/// <param name="Message">The message.</param>
/// <param name="Reason">Why, with the limit or the target's own words.</param>
public sealed record MessageFailure(OutgoingMessage Message, string Reason)
{
    /// <summary>Whether it is too large.</summary>
    public bool IsOversize { get; init; }
}
