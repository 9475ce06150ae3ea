using Akka.Actor;
using Akka.Configuration;
using Akka.Persistence.Query;

namespace Pipeline.Akka.Persistence.Query;

/// <summary>Creates the read journal of an actor system.</summary>
/// <param name="system">The actor system.</param>
/// <param name="config">The plugin's settings.</param>
public sealed class PipelineReadJournalProvider(ExtendedActorSystem system, Config config) : IReadJournalProvider
{
    /// <inheritdoc/>
    public IReadJournal GetReadJournal() => new PipelineReadJournal(system, config);
}
