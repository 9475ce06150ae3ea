using Pipeline.Yaml;

namespace Pipeline.Etl.Configuration;

/// <summary>
/// The block <c>retry.attempts</c> of a task. A message that the target refuses for its content is never retried,
/// because the answer would be the same. A message that is too large is not retried either, unless its connection has
/// <c>oversize: fail</c>.
/// </summary>
public sealed class AttemptsConfiguration
{
    /// <summary>How often a batch is sent while its target is unavailable.</summary>
    [Setting(
        "How often a batch is tried while its target is unavailable or overloaded. After that 'onError' decides about all its messages; some of them may have arrived. No limit by default.",
        Minimum = 1
    )]
    public int? Transient { get; init; }

    /// <summary>How often a batch is sent that the target refuses as a whole.</summary>
    [Setting(
        "How often a batch is tried that the target refuses as a whole (wrong credentials, no permission). After that 'onError' decides about all its messages. With 'oversize: fail' it also counts the attempts at a message that is too large; 'onError' then decides about that message alone. No limit by default.",
        Minimum = 1
    )]
    public int? Permanent { get; init; }

    /// <summary>How often a failing transform runs over one document.</summary>
    [Setting(
        "How often the transform runs over a document that it fails on, with the waits of 'retry' in between.",
        Minimum = 1,
        Maximum = 1000
    )]
    public int Script { get; init; } = 1;
}
