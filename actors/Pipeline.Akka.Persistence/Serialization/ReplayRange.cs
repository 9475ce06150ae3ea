using Pipeline.Documents.Events;

namespace Pipeline.Akka.Persistence.Serialization;

/// <summary>The part of a stream that remains to be replayed.</summary>
/// <param name="StreamId">The stream.</param>
/// <param name="From">The first number.</param>
/// <param name="To">The last number.</param>
/// <param name="Most">The most events.</param>
internal readonly record struct ReplayRange(string StreamId, long From, long To, long Most)
{
    internal bool IsEmpty => Most <= 0 || From > To;

    /// <summary>The rest after a batch.</summary>
    internal ReplayRange After(EventBatch batch) =>
        this with
        {
            From = batch.Through + 1,
            Most = batch.HasMore ? Most - batch.Count : 0,
        };
}
