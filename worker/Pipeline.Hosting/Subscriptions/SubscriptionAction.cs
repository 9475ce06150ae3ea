using System.Globalization;
using Pipeline.Subscriptions;

namespace Pipeline.Hosting;

/// <summary>An action on a subscription from the terminal and over HTTP.</summary>
/// <param name="Name">The command.</param>
/// <param name="Description">What it does.</param>
/// <param name="Done">The result in words, to follow the subscription's name.</param>
/// <param name="To">The meaning of its position; null if it takes none.</param>
/// <param name="Act">Performs the action.</param>
internal sealed record SubscriptionAction(
    string Name,
    string Description,
    string Done,
    string? To,
    Func<SubscriptionHost, string, string, CancellationToken, Task> Act
)
{
    /// <summary>All actions.</summary>
    public static IReadOnlyList<SubscriptionAction> All { get; } =
    [
        new(
            "pause",
            "Stop deliveries; the position stays.",
            "is paused",
            null,
            (host, name, _, ct) => host.PauseAsync(name, ct)
        ),
        new("resume", "Continue after a pause.", "continues", null, (host, name, _, ct) => host.ResumeAsync(name, ct)),
        new(
            "move",
            "Set the position.",
            "is moved",
            "beginning, end, or the position after which to continue.",
            (host, name, to, ct) => host.MoveAsync(name, Start(to), ct)
        ),
        new(
            "retry",
            "Deliver a parked change again, with the current document, and release its key.",
            "delivers it again",
            "The position of the parked change: its dead letter is deadletters/@NAME/POSITION.",
            (host, name, to, ct) => host.RetryParkedAsync(name, Position(to), ct)
        ),
        new(
            "delete",
            "Delete a subscription with its position.",
            "is deleted",
            null,
            async (host, name, _, ct) =>
            {
                if (!await host.DeleteAsync(name, ct).ConfigureAwait(false))
                {
                    throw new SubscriptionException(
                        name,
                        SubscriptionProblem.NotFound,
                        $"There is no subscription '{name}'; 'pipeline subscriptions' lists them."
                    );
                }
            }
        ),
    ];

    /// <summary>Whether it deletes the subscription.</summary>
    public bool IsDelete => Name == "delete";

    /// <summary>Whether it retries one parked change.</summary>
    public bool IsRetry => Name == "retry";

    /// <summary>Performs the action.</summary>
    /// <param name="host">The subscriptions.</param>
    /// <param name="name">The subscription's name.</param>
    /// <param name="to">The position as typed.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <exception cref="WorkerException">The name is missing, or the position is invalid.</exception>
    /// <exception cref="SubscriptionException">There is no such subscription.</exception>
    public Task RunAsync(SubscriptionHost host, string name, string to, CancellationToken cancellationToken) =>
        name.Length == 0
            ? throw new WorkerException("the subscription's name is missing", ExitCodes.Usage)
            : Act(host, name, to, cancellationToken);

    private static SubscriptionStart Start(string text) =>
        text switch
        {
            "beginning" => SubscriptionStart.Beginning,
            "end" => SubscriptionStart.End,
            _ => SubscriptionStart.After(Position(text, "beginning, end, or a position")),
        };

    private static long Position(string text, string what = "a position") =>
        long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var position)
            ? position
            : throw new WorkerException($"'{text}' is not {what}", ExitCodes.Usage);
}
