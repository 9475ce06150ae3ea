using Akka.Persistence.Hosting;
using Pipeline.Database;

namespace Pipeline.Akka.Persistence.Hosting;

/// <summary>
/// A set of plugins: a journal, a snapshot store and a read journal on one database. Set exactly one of
/// <see cref="Database"/>, <see cref="Path"/> and
/// <see cref="Url"/>.
/// </summary>
public sealed class PipelinePersistenceOptions
{
    /// <summary>
    /// The last part of the plugins' ids: <c>akka.persistence.journal.NAME</c> and so on. Default <c>pipeline</c>.
    /// </summary>
    public string Name { get; set; } = "pipeline";

    /// <summary>Whether actors that name no plugins use these. Default true.</summary>
    public bool IsDefault { get; set; } = true;

    /// <summary>An open database. The program must close it after the actor system.</summary>
    public DocumentDatabase? Database { get; set; }

    /// <summary>A folder. The actor system opens the database there, and closes it when it terminates.</summary>
    public string? Path { get; set; }

    /// <summary>A server's address; <see cref="RemoteDatabase"/> names the database there.</summary>
    public Uri? Url { get; set; }

    /// <summary>The database at <see cref="Url"/>.</summary>
    public string? RemoteDatabase { get; set; }

    /// <summary>
    /// The client certificate for <see cref="Url"/>, if the server requires one: a PFX file, or PEM that contains the
    /// key or has it in <see cref="CertificateKey"/>.
    /// </summary>
    public string? Certificate { get; set; }

    /// <summary>The key in PEM, if it is in a separate file.</summary>
    public string? CertificateKey { get; set; }

    /// <summary>The password of the PFX file, or of the encrypted key.</summary>
    public string? CertificatePassword { get; set; }

    /// <summary>The SHA-256 thumbprint of the server's certificate, if no trusted authority signed it.</summary>
    public string? ServerThumbprint { get; set; }

    /// <summary>The serializer of events and states whose type has none; null for Akka's default.</summary>
    public string? Serializer { get; set; }

    /// <summary>
    /// The collection of the documents of JSON events; null to make no documents. Default <c>Events</c>.
    /// </summary>
    public string? Documents { get; set; } = "Events";

    /// <summary>How many of an actor's newest snapshots are kept; 0 for all. Default 0.</summary>
    public int KeepSnapshots { get; set; }

    /// <summary>
    /// Whether the events that all kept snapshots contain are deleted. Needs <see cref="KeepSnapshots"/>. Default
    /// false.
    /// </summary>
    public bool DeleteEvents { get; set; }

    /// <summary>Adds event adapters to the journal.</summary>
    public Action<AkkaPersistenceJournalBuilder>? Adapters { get; set; }

    /// <summary>
    /// Whether the host fails to start if the database cannot be opened or reached. Otherwise operations fail until it
    /// can. Default true.
    /// </summary>
    public bool CheckAtStart { get; set; } = true;
}
