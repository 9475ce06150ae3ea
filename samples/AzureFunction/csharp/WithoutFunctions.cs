Console.Error.WriteLine("AzureFunction: this function needs packages of Azure that the NuGet feed does not have; see samples/AzureFunction/README.md.");
return 2;
