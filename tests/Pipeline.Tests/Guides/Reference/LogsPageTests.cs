using System.Globalization;
using System.Reflection;
using Microsoft.Extensions.Logging;
using Pipeline.TestKit.Files;
using Xunit;

namespace Pipeline.Tests.Guides.Reference;

/// <summary>docs/reference/logs.md lists every log event, and no two events have one id.</summary>
public sealed class LogsPageTests
{
    [Fact]
    public void The_page_is_up_to_date_and_ids_are_unique()
    {
        var page = new ReferencePage("logs.md", "Log events");
        page.Prose(
            "Each event has an id that no other event has. "
                + "Filter and alert on the id: it stays the same when the text changes. "
                + "`--log-format json` writes it as `eventId`, and each value in braces as a field."
        );
        var events = Shipped().SelectMany(Events).OrderBy(e => e.Id).ToList();
        Assert.True(events.Count > 150, $"only {events.Count} events were found");
        Assert.Equal([], events.GroupBy(e => e.Id).Where(g => g.Count() > 1).Select(g => string.Join(" = ", g)));
        foreach (var package in events.GroupBy(e => e.Package).OrderBy(g => g.Min(e => e.Id)))
        {
            page.Heading(2, package.Key);
            page.Table(
                ["id", "level", "event", "message"],
                package.Select(e =>
                    (string[])[e.Id.ToString(CultureInfo.InvariantCulture), Word(e.Level), $"`{e.Name}`", e.Message]
                )
            );
        }
        page.Check();
    }

    /// <summary>The assemblies of the product that log.</summary>
    private static IEnumerable<Assembly> Shipped() =>
        RepositoryTree
            .Files(".cs")
            .Where(f => File.ReadAllText(f).Contains("[LoggerMessage(", StringComparison.Ordinal))
            .Select(f => RepositoryTree.Relative(f).Split('/'))
            .Where(parts => parts[0] is not ("tests" or "samples" or "templates"))
            .Select(parts => parts[1])
            .Distinct(StringComparer.Ordinal)
            .Select(Assembly.Load);

    private static IEnumerable<LogEvent> Events(Assembly assembly) =>
        from type in assembly.GetTypes()
        from method in type.GetMethods(
            BindingFlags.Static | BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic
        )
        let message = method.GetCustomAttribute<LoggerMessageAttribute>()
        where message is not null
        select new LogEvent(
            message.EventId,
            message.Level,
            method.Name,
            message.Message.Replace('\n', ' '),
            assembly.GetName().Name!
        );

    private static string Word(LogLevel level) => level.ToString().ToLowerInvariant();

    private sealed record LogEvent(int Id, LogLevel Level, string Name, string Message, string Package);
}
