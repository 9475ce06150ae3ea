using System.Globalization;

namespace Pipeline.TestKit;

/// <summary>Numbers by which a person asks for a longer run of a test, or for another seed.</summary>
public static class RunSetting
{
    /// <summary>The number in a variable of the environment.</summary>
    /// <param name="name">The variable, such as <c>PIPELINE_SEED</c>.</param>
    /// <param name="otherwise">The number without the variable, or if it is no number.</param>
    public static int Read(string name, int otherwise) =>
        int.TryParse(Environment.GetEnvironmentVariable(name), CultureInfo.InvariantCulture, out var set)
            ? set
            : otherwise;

    /// <summary>The same for a number that may have a fraction, such as minutes.</summary>
    public static double Read(string name, double otherwise) =>
        double.TryParse(Environment.GetEnvironmentVariable(name), CultureInfo.InvariantCulture, out var set)
            ? set
            : otherwise;
}
