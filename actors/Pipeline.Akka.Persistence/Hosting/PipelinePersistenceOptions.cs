using Akka.Persistence.Hosting;
using Pipeline.Database;

namespace Pipeline.Akka.Persistence.Hosting;

/// <summary>One set of plugins: a journal, a snapshot store and a read journal on one database. Give exactly one of <see cref="Database"/>, <see cref="Path"/> and <see cref="Url"/>.</summary>
public sealed class PipelinePersistenceOptions
{
    /// <summary>The last part of the plugins' ids: <c>akka.persistence.journal.NAME</c> and so on. Default <c>pipeline</c>.</summary>
    public string Name { get; set; } = "pipeline";

    /// <summary>Whether these are the plugins of actors that name none. Default true.</summary>
    public bool IsDefault { get; set; } = true;

    /// <summary>An open database of the program, which closes it after the actor system.</summary>
    public DocumentDatabase? Database { get; set; }

    /// <summary>A folder, which the actor system opens, and closes when it terminates.</summary>
    public string? Path { get; set; }

    /// <summary>A server; <see cref="RemoteDatabase"/> is the database there.</summary>
    public Uri? Url { get; set; }

    /// <summary>The database at <see cref="Url"/>.</summary>
    public string? RemoteDatabase { get; set; }

    /// <summary>The client's certificate for <see cref="Url"/>, where the server asks for one: a PFX file, or PEM with the key in it or in <see cref="CertificateKey"/>.</summary>
    public string? Certificate { get; set; }

    /// <summary>The key in PEM, where it is in a file of its own.</summary>
    public string? CertificateKey { get; set; }

    /// <summary>The password of the PFX file, or of the encrypted key.</summary>
    public string? CertificatePassword { get; set; }

    /// <summary>The SHA-256 thumbprint of the server's certificate, where no authority of the system signed it.</summary>
    public string? ServerThumbprint { get; set; }

    /// <summary>The serializer of events and states whose type is bound to none; null for Akka's own default.</summary>
    public string? Serializer { get; set; }

    /// <summary>The collection of the documents of JSON events; null where events are to be no documents. Default <c>Events</c>.</summary>
    public string? Documents { get; set; } = "Events";

    /// <summary>How many of the newest snapshots of an actor stay; 0 for all. Default 0.</summary>
    public int KeepSnapshots { get; set; }

    /// <summary>Whether the events that all kept snapshots contain are deleted. Needs <see cref="KeepSnapshots"/>. Default false.</summary>
    public bool DeleteEvents { get; set; }

    /// <summary>Adds event adapters to the journal.</summary>
    public Action<AkkaPersistenceJournalBuilder>? Adapters { get; set; }

    /// <summary>Whether the host's start fails where the database cannot be opened or reached. Otherwise operations fail until it can. Default true.</summary>
    public bool CheckAtStart { get; set; } = true;
}
