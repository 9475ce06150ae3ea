using System.Globalization;
using System.Text.RegularExpressions;
using Pipeline.IntegrationTests.Independent;
using Xunit;

namespace Pipeline.IntegrationTests.Studio;

/// <summary>Runs a file of tests for Chromium. With PIPELINE_SCREENSHOTS, a folder, they leave screenshots there.</summary>
internal static partial class StudioSuite
{
    /// <summary>The variables that name the packages and folders of a suite. Skips the test if a package is missing.</summary>
    public static Dictionary<string, string> FindVariables()
    {
        if (!File.Exists("/usr/bin/chromium"))
            throw Missing.Program("Chromium", "chromium");
        return new Dictionary<string, string>
        {
            ["PLAYWRIGHT"] = NpmPackage.Find("playwright-core", "index.js"),
            ["AXE"] = NpmPackage.Find("axe-core", "axe.min.js"),
            ["SHOTS"] = Environment.GetEnvironmentVariable("PIPELINE_SCREENSHOTS") ?? "",
        };
    }

    /// <summary>Runs a file, whose tests must all pass.</summary>
    /// <param name="suite">The file.</param>
    /// <param name="tests">How many tests it has.</param>
    /// <param name="url">Where Studio is.</param>
    /// <param name="variables">Variables for it.</param>
    public static async Task RunAsync(
        string suite,
        int tests,
        string url,
        IReadOnlyDictionary<string, string> variables
    )
    {
        var output = await Tool.RunAsync(
            "node",
            ["--test", "--test-reporter=tap", Path.Combine(AppContext.BaseDirectory, "Studio", suite)],
            new Dictionary<string, string>(variables) { ["SERVER"] = url }
        );
        Assert.Equal(tests, int.Parse(Passed().Match(output).Groups[1].Value, CultureInfo.InvariantCulture));
    }

    [GeneratedRegex(@"^# pass (\d+)", RegexOptions.Multiline)]
    private static partial Regex Passed();
}
