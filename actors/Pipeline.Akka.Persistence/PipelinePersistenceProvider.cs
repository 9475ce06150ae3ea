using Akka.Actor;

namespace Pipeline.Akka.Persistence;

/// <summary>Creates the extension of an actor system.</summary>
public sealed class PipelinePersistenceProvider : ExtensionIdProvider<PipelinePersistence>
{
    /// <inheritdoc/>
    public override PipelinePersistence CreateExtension(ExtendedActorSystem system) => new(system);
}
