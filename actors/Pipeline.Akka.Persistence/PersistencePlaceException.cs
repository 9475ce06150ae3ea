namespace Pipeline.Akka.Persistence;

/// <summary>The place of a plugin's events cannot be opened. Tried again with the next operation.</summary>
public sealed class PersistencePlaceException : Exception
{
    /// <summary>Makes the error.</summary>
    /// <param name="place">The place, as a noun.</param>
    /// <param name="cause">Why not.</param>
    public PersistencePlaceException(string place, Exception cause)
        : base($"Events of actors are to be kept in {place}, which cannot be opened: {cause?.Message}", cause) => Place = place;

    /// <summary>The place.</summary>
    public string Place { get; }
}
