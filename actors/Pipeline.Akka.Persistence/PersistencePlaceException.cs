namespace Pipeline.Akka.Persistence;

/// <summary>The place of a plugin's events cannot be opened. The next operation tries again.</summary>
public sealed class PersistencePlaceException : Exception
{
    /// <summary>Creates the error.</summary>
    /// <param name="place">The place, as a noun.</param>
    /// <param name="cause">The underlying error.</param>
    public PersistencePlaceException(string place, Exception cause)
        : base($"The store for actors' events, {place}, cannot be opened: {cause?.Message}", cause) => Place = place;

    /// <summary>The place.</summary>
    public string Place { get; }
}
