using System.Text.Json.Serialization;

namespace Pipeline.Etl.Connectors.AzureQueues;

/// <summary>What happens to a message that is larger than a queue accepts.</summary>
public enum AzureQueueOversize
{
    /// <summary>The task's policy for errors decides.</summary>
    Park,

    /// <summary>Its body goes into a blob, whose address the message carries.</summary>
    [JsonStringEnumMemberName("claim-check")]
    ClaimCheck,

    /// <summary>
    /// The task fails before the message; when <c>retry.attempts.permanent</c> is used up, its policy for errors
    /// decides.
    /// </summary>
    Fail,
}
