using Pipeline.Etl.Connectors;

namespace Pipeline.Etl.Configuration;

/// <summary>The block <c>retry.attempts</c> of a task. What is refused by itself is never tried again: the answer would be the same; nor is what is too large, unless its connection is to fail at it.</summary>
public sealed class AttemptsConfiguration
{
    /// <summary>Tries of a batch whose target is away.</summary>
    [Setting("How often a batch is sent while its target is away or overloaded, before 'onError' decides about all its messages, of which some may have arrived. Without it there is no end.", Minimum = 1)]
    public int? Transient { get; init; }

    /// <summary>Tries of a batch that the target refuses as a whole.</summary>
    [Setting("How often a batch is sent that the target refuses as a whole (wrong credentials, no permission), before 'onError' decides about all its messages; and how often the task fails at a message that is too large for a connection with 'oversize: fail', before 'onError' decides about that message alone. Without it there is no end.", Minimum = 1)]
    public int? Permanent { get; init; }

    /// <summary>Runs of a transform that fails.</summary>
    [Setting("How often the transform is run over a document that it fails on, with the waits of 'retry' between.", Minimum = 1, Maximum = 1000)]
    public int Script { get; init; } = 1;
}
