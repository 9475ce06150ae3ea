using System.Globalization;
using System.Text;
using Pipeline.Etl.Connectors;
using Xunit;

namespace Pipeline.IntegrationTests;

/// <summary>Messages made by hand, for tests of the sinks alone.</summary>
internal static class Messages
{
    public static readonly DateTimeOffset Time = new(2026, 11, 21, 10, 30, 0, TimeSpan.Zero);

    public static OutgoingMessage Make(string destination, long position, string? key = null, string? body = null) =>
        new()
        {
            Destination = destination,
            Id = string.Create(CultureInfo.InvariantCulture, $"db/task/{position}/0"),
            Source = "shop/Orders",
            Type = "order.changed",
            Subject = string.Create(CultureInfo.InvariantCulture, $"orders/{position}"),
            Time = Time.AddMilliseconds(position),
            Key = key,
            Body = Encoding.UTF8.GetBytes(body ?? $$"""{"n":{{position}},"text":"Ærø \u2713 \"quoted\" <&>"}"""),
            Position = position,
        };

    public static List<OutgoingMessage> Many(string destination, int count, int keys = 7) =>
        [.. Enumerable.Range(1, count).Select(i => Make(destination, i, "key-" + (i % keys)))];

    public static MessageBatch Batch(IReadOnlyList<OutgoingMessage> messages) => new(messages, messages[^1].Position);
}
