using System.Reflection;
using System.Text.RegularExpressions;
using System.Xml.Linq;
using Xunit;

namespace Pipeline.Tests.Guides.Reference;

/// <summary>docs/reference/errors.md matches the public exception types and their documentation.</summary>
public sealed partial class ErrorsPageTests
{
    private static readonly string[] Packages =
    [
        "Pipeline.Client",
        "Pipeline.Database",
        "Pipeline.Documents",
        "Pipeline.Storage",
        "Pipeline.Indexing",
        "Pipeline.Scripting",
        "Pipeline.JavaScript",
        "Pipeline.Json",
        "Pipeline.Subscriptions",
        "Pipeline.Yaml",
        "Pipeline.Etl",
        "Pipeline.Backups",
        "Pipeline.Server",
        "Pipeline.Worker",
        "Pipeline.Runner",
        "Pipeline.Hosting",
        "Pipeline.Testing",
        "Pipeline.Akka.Persistence",
        "Pipeline.Akka.Sharding",
    ];

    [Fact]
    public void The_page_is_up_to_date()
    {
        var page = new ReferencePage("errors.md", "Errors");
        page.Prose(
            "Every error is a type with its facts as properties. "
                + "Catch the type, read the properties, and show the message: it names the place and the remedy. "
                + "The command line turns an error into one line on standard error and an exit code."
        );
        foreach (var package in Packages)
        {
            var types = Assembly
                .Load(package)
                .GetExportedTypes()
                .Where(t => t.IsSubclassOf(typeof(Exception)))
                .OrderBy(t => t.Name, StringComparer.Ordinal)
                .ToList();
            if (types.Count == 0)
                continue;
            var summaries = Summaries(package);
            page.Heading(2, package);
            page.Table(
                ["error", "meaning", "properties"],
                types.Select(t => new[] { $"`{t.Name}`", summaries[t.FullName!], Properties(t) })
            );
        }
        page.Check();
    }

    private static string Properties(Type type)
    {
        var names = type.GetProperties(BindingFlags.Public | BindingFlags.Instance)
            .Where(p =>
                p.DeclaringType!.Assembly != typeof(Exception).Assembly
                && p.GetMethod!.GetBaseDefinition().DeclaringType != typeof(Exception)
            );
        var text = string.Join(", ", names.Select(p => p.Name).Order(StringComparer.Ordinal).Select(n => $"`{n}`"));
        return type.BaseType == typeof(Exception) || type.BaseType!.Assembly == typeof(Exception).Assembly
            ? text
            : $"{text}{(text.Length > 0 ? "; " : "")}a `{type.BaseType.Name}`";
    }

    private static Dictionary<string, string> Summaries(string package) =>
        XDocument
            .Load(Path.Combine(AppContext.BaseDirectory, package + ".xml"))
            .Descendants("member")
            .Where(m =>
                m.Attribute("name")!.Value.StartsWith("T:", StringComparison.Ordinal)
                && m.Element("summary") is not null
            )
            .ToDictionary(
                m => m.Attribute("name")!.Value[2..],
                m => Text(m.Element("summary")!),
                StringComparer.Ordinal
            );

    private static string Text(XElement element)
    {
        var text = string.Concat(
            element
                .Nodes()
                .Select(n =>
                    n switch
                    {
                        XText t => t.Value,
                        XElement { Name.LocalName: "see" } see =>
                            $"`{(see.Attribute("cref")?.Value ?? see.Attribute("langword")?.Value ?? see.Value).Split('(')[0].Split('.')[^1]}`",
                        XElement { Name.LocalName: "c" } c => $"`{c.Value}`",
                        XElement other => other.Value,
                        _ => "",
                    }
                )
        );
        return Spaces().Replace(text, " ").Trim();
    }

    [GeneratedRegex(@"\s+")]
    private static partial Regex Spaces();
}
