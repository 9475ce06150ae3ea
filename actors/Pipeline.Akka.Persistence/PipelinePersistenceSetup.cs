using Akka.Actor.Setup;
using Pipeline.Database;

namespace Pipeline.Akka.Persistence;

/// <summary>
/// The open databases that an actor system's plugins may name (<c>database = "name"</c>). Immutable; the program must
/// close them after the actor system.
/// </summary>
public sealed class PipelinePersistenceSetup : Setup
{
    /// <summary>Creates the setup.</summary>
    /// <param name="databases">The databases by the names that plugins refer to.</param>
    public PipelinePersistenceSetup(IReadOnlyDictionary<string, DocumentDatabase> databases) => Databases = databases;

    /// <summary>The databases by name.</summary>
    public IReadOnlyDictionary<string, DocumentDatabase> Databases { get; }
}
