using Pipeline.Database.Events;

namespace Pipeline.Akka.Persistence.Serialization;

/// <summary>What is still to be replayed of a stream.</summary>
/// <param name="StreamId">The stream.</param>
/// <param name="From">The first number.</param>
/// <param name="To">The last number.</param>
/// <param name="Most">How many, at most.</param>
internal readonly record struct ReplayRange(string StreamId, long From, long To, long Most)
{
    internal bool IsEmpty => Most <= 0 || From > To;

    /// <summary>What is left after a part of it.</summary>
    internal ReplayRange After(EventBatch batch) => this with { From = batch.Through + 1, Most = batch.HasMore ? Most - batch.Count : 0 };
}
