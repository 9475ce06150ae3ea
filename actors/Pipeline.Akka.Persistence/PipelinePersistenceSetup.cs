using Akka.Actor.Setup;
using Pipeline.Database;

namespace Pipeline.Akka.Persistence;

/// <summary>The open databases that plugins of an actor system may name (<c>database = "name"</c>). Immutable; the program closes them after the actor system.</summary>
public sealed class PipelinePersistenceSetup : Setup
{
    /// <summary>Gives databases.</summary>
    /// <param name="databases">Each under the name by which plugins ask for it.</param>
    public PipelinePersistenceSetup(IReadOnlyDictionary<string, DocumentDatabase> databases) => Databases = databases;

    /// <summary>The databases by name.</summary>
    public IReadOnlyDictionary<string, DocumentDatabase> Databases { get; }
}
