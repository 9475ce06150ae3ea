using System.Text.Json;
using Pipeline.Server.Errors;
using Pipeline.Subscriptions;

namespace Pipeline.Server.Subscriptions;

/// <summary>A client's request for a subscription: its name, the strategy, and the batch size.</summary>
internal sealed record WorkerRequest(string Subscription, SubscriptionWorkerOptions Options, bool EndsWhenEmpty)
{
    private const int MaxDocuments = 1_000_000;
    private const int MaxNameLength = 128;

    /// <summary>The lease. Heartbeats renew it; a connection without any for this long is hung.</summary>
    private static readonly TimeSpan Lease = TimeSpan.FromMinutes(10);

    /// <summary>Parses a request.</summary>
    /// <param name="message">The client's message.</param>
    /// <param name="otherwise">The worker's name if the client gives none.</param>
    /// <exception cref="BadRequestException">The message is invalid.</exception>
    public static WorkerRequest Read(JsonElement message, string otherwise)
    {
        var name =
            TcpText.Of(message, "SubscriptionName")
            ?? throw new BadRequestException("the options have no 'SubscriptionName'");
        var strategy = TcpText.Of(message, "Strategy") ?? nameof(WorkerStrategy.OpenIfFree);
        var most =
            message.TryGetProperty("MaxDocsPerBatch", out var count)
            && count.ValueKind == JsonValueKind.Number
            && count.TryGetInt32(out var number)
            && number > 0
                ? number
                : 4096;
        var worker = TcpText.Of(message, "WorkerId") ?? otherwise;
        return new WorkerRequest(
            name,
            new SubscriptionWorkerOptions
            {
                Name = worker.Length <= MaxNameLength ? worker : worker[..MaxNameLength],
                Strategy =
                    Enum.TryParse<WorkerStrategy>(strategy, out var known) && Enum.IsDefined(known)
                        ? known
                        : throw new BadRequestException(
                            $"the strategy '{strategy}' is none; {string.Join(", ", Enum.GetNames<WorkerStrategy>())} are"
                        ),
                MaxBatchCount = Math.Min(most, MaxDocuments),
                Lease = Lease,
            },
            message.TryGetProperty("CloseWhenNoDocsLeft", out var ends) && ends.ValueKind == JsonValueKind.True
        );
    }
}
