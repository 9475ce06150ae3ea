using Pipeline.Etl.Connectors;
using Pipeline.Etl.DeadLetters;
using Pipeline.Etl.Replays;
using Pipeline.Etl.Transforms;
using Pipeline.Subscriptions;

namespace Pipeline.Etl.Runner;

/// <summary>The messages that the transform made from one batch of changes, ready to send. The reader fills it, then
/// the sender owns it, then it is reused.</summary>
/// <param name="share">The number of parts that share the memory.</param>
internal sealed class PreparedBatch(int share = 1) : MessageBuffer(share)
{
    private readonly List<PreparedBatch> _parts = [];

    /// <summary>Documents of the collection of dead letters: id and JSON.</summary>
    public List<KeyValuePair<string, ReadOnlyMemory<byte>>> DeadLetters { get; } = [];

    public BatchOrigin Origin { get; set; }

    /// <summary>Whether it leaves the position unchanged because it holds a part of the messages that one change
    /// resends. The target must not drop it as a repeat.</summary>
    public bool LeavesPosition { get; set; }

    /// <summary>
    /// Why the change after the last one could not be processed. The next batch begins with that change.
    /// </summary>
    public Exception? Fault { get; set; }

    /// <summary>Letters that this batch retries, in the order of their changes.</summary>
    public List<ParkedLetter> Letters { get; } = [];

    /// <summary>Letters whose transform failed again; <see cref="DeadLetters"/> holds their new text.</summary>
    public List<ParkedLetter> FailedLetters { get; } = [];

    /// <summary>Which letter a message comes from.</summary>
    public Dictionary<OutgoingMessage, ParkedLetter> LetterOf { get; } = new(ReferenceEqualityComparer.Instance);

    /// <summary>The classes of the changes that were skipped because they failed.</summary>
    public List<FailureClass> Failures { get; } = [];

    /// <summary>Further effects that are stored with the position.</summary>
    public FeedEffects Effects { get; set; } = FeedEffects.None;

    /// <summary>What its documents have loaded, or <see langword="null"/> if loads are not tracked.</summary>
    public LoadedDocuments? Loads { get; set; }

    /// <summary>The progress of the replay once this batch is confirmed.</summary>
    public ReplayStatus? ReplayAt { get; set; }

    /// <summary>Whether it is the last one of a replay.</summary>
    public bool EndsReplay { get; set; }

    /// <summary>The position to store once the messages are confirmed.</summary>
    public long Position { get; set; }

    public int Documents { get; set; }

    public int Filtered { get; set; }

    public bool IsEmpty => Messages.Count == 0 && DeadLetters.Count == 0 && Letters.Count == 0 && Effects.IsEmpty;

    /// <summary>
    /// The part that one of several threads makes, with the memory of its messages' bodies. The first call for each
    /// thread must not run concurrently.
    /// </summary>
    public PreparedBatch Part(int thread, int threads)
    {
        while (_parts.Count <= thread)
            _parts.Add(new PreparedBatch(threads));
        return _parts[thread];
    }

    public override void Reset()
    {
        base.Reset();
        foreach (var part in _parts)
            part.Reset();
        DeadLetters.Clear();
        Letters.Clear();
        LetterOf.Clear();
        FailedLetters.Clear();
        Failures.Clear();
        (Origin, Fault, Effects, ReplayAt, EndsReplay) = (BatchOrigin.Feed, null, FeedEffects.None, null, false);
        (Position, Documents, Filtered, Loads, LeavesPosition) = (0, 0, 0, null, false);
    }
}
