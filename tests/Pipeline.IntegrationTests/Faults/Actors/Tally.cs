using Akka.Actor;
using Akka.Cluster.Sharding;
using Akka.Persistence;

namespace Pipeline.IntegrationTests.Faults.Actors;

/// <summary>Asks a tally to count a request.</summary>
/// <param name="Tally">The entity.</param>
/// <param name="Request">A text that no other request has.</param>
public sealed record Count(string Tally, string Request);

/// <summary>A request was counted.</summary>
/// <param name="Request">The request.</param>
/// <param name="Run">The start of the actor that counted it.</param>
public sealed record Counted(string Request, string Run);

/// <summary>The answer to <see cref="Count"/>.</summary>
/// <param name="Number">The number of the event.</param>
public sealed record Noted(long Number);

/// <summary>An entity with one event for each request. Each start of the actor has a new id.</summary>
public sealed class Tally : UntypedPersistentActor
{
    private readonly string _run = Guid.NewGuid().ToString("N")[..12];
    private long _count;

    /// <summary>Akka creates it.</summary>
    public Tally(string id) => PersistenceId = "tally-" + id;

    /// <inheritdoc/>
    public override string PersistenceId { get; }

    /// <inheritdoc/>
    protected override void OnCommand(object message)
    {
        if (message is not Count count)
            return;
        var sender = Sender;
        Persist(new Counted(count.Request, _run), _ => sender.Tell(new Noted(++_count)));
    }

    /// <inheritdoc/>
    protected override void OnRecover(object message)
    {
        if (message is Counted)
            _count++;
    }
}

/// <summary>Finds the tally of a request.</summary>
internal sealed class ByTally() : HashCodeMessageExtractor(20)
{
    /// <inheritdoc/>
    public override string? EntityId(object message) => (message as Count)?.Tally;
}
